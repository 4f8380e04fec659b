#!/usr/bin/env python3
"""Compares models of torchvision, timm, transformers and diffusers, small and with random weights, as .pt2 with PyTorch:
exported with a batch that varies, compiled once, run at three batches. As exported, and after run_decompositions().

    venv/bin/python test/pt2/models.py [NAME...]    # the compiler is that of build/bin, or of STRATA_BIN
"""
import os
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import timm
import torch
import torchvision.models as tvm
import transformers as tr

warnings.filterwarnings("ignore")
BIN = os.environ.get("STRATA_BIN", "build/bin")

torch.manual_seed(0)
img=lambda n,s=64,c=3: (torch.randn(n,c,s,s),)
ids=lambda n,l=12: (torch.randint(0,90,(n,l)),)
class Logits(torch.nn.Module):
    def __init__(s,m,kw=None): super().__init__(); s.m=m; s.kw=kw or {}
    def forward(s,*a):
        r=s.m(*a,**s.kw); r=r.to_tuple() if hasattr(r,"to_tuple") else r
        return tuple(x for x in r if isinstance(x,torch.Tensor))
def T(cls,cfg,**k): return lambda: Logits(cls._from_config(cfg(),**({"attn_implementation":"sdpa"}|k)) if hasattr(cls,"_from_config") else cls(cfg()),{"use_cache":False} )
def Tn(cls,cfg): return lambda: Logits(cls(cfg()))
small=dict(hidden_size=32,num_hidden_layers=2,num_attention_heads=4,intermediate_size=64,vocab_size=99,max_position_embeddings=64)
seg=lambda n:(torch.randint(0,90,(n,12)),torch.ones(n,12,dtype=torch.long))
M={
 "resnet18":(lambda:tvm.resnet18(num_classes=10),img),
 "mobilenet_v2":(lambda:tvm.mobilenet_v2(num_classes=10,width_mult=.5),img),
 "mobilenet_v3":(lambda:tvm.mobilenet_v3_small(num_classes=10),img),
 "efficientnet_b0":(lambda:tvm.efficientnet_b0(num_classes=10),img),
 "densenet121":(lambda:tvm.densenet121(num_classes=10),img),
 "shufflenet":(lambda:tvm.shufflenet_v2_x0_5(num_classes=10),img),
 "squeezenet":(lambda:tvm.squeezenet1_1(num_classes=10),img),
 "googlenet":(lambda:tvm.googlenet(num_classes=10,init_weights=False,aux_logits=False),img),
 "convnext":(lambda:tvm.ConvNeXt([tvm.convnext.CNBlockConfig(16,32,1),tvm.convnext.CNBlockConfig(32,None,1)],num_classes=10),img),
 "swin":(lambda:tvm.SwinTransformer([4,4],24,[2,2],[2,4],[4,4],num_classes=10),img),
 "swin_v2":(lambda:tvm.SwinTransformer([4,4],24,[2,2],[2,4],[4,4],num_classes=10,block=tvm.swin_transformer.SwinTransformerBlockV2,downsample_layer=tvm.swin_transformer.PatchMergingV2),img),
 "vit_tv":(lambda:tvm.VisionTransformer(64,16,2,4,32,64,num_classes=10),img),
 "regnet":(lambda:tvm.regnet_y_400mf(num_classes=10),img),
 "fcn":(lambda:tvm.segmentation.fcn_resnet50(num_classes=4,weights_backbone=None),img),
 "deeplab":(lambda:tvm.segmentation.lraspp_mobilenet_v3_large(num_classes=4,weights_backbone=None),img),
 "timm_vit":(lambda:timm.create_model("vit_tiny_patch16_224",img_size=64,embed_dim=48,depth=2,num_heads=3,num_classes=10),img),
 "timm_convnext":(lambda:timm.create_model("convnext_atto",num_classes=10),img),
 "timm_efficientvit":(lambda:timm.create_model("efficientvit_b0",num_classes=10),img),
 "timm_mobilevit":(lambda:timm.create_model("mobilevit_xxs",num_classes=10),lambda n:img(n,64)),
 "timm_poolformer":(lambda:timm.create_model("poolformer_s12",num_classes=10),img),
 "timm_ghostnet":(lambda:timm.create_model("ghostnet_050",num_classes=10),img),
 "timm_beit":(lambda:timm.create_model("beit_base_patch16_224",img_size=64,embed_dim=48,depth=2,num_heads=3,num_classes=10),img),
 "timm_nfnet":(lambda:timm.create_model("nf_resnet26",num_classes=10),img),
 "timm_deit3":(lambda:timm.create_model("deit3_small_patch16_224",img_size=64,embed_dim=48,depth=2,num_heads=3,num_classes=10),img),
 "timm_eva02":(lambda:timm.create_model("eva02_tiny_patch14_224",img_size=56,embed_dim=48,depth=2,num_heads=3,num_classes=10),lambda n:img(n,56)),
 "timm_davit":(lambda:timm.create_model("davit_tiny",num_classes=10),img),
 "timm_vovnet":(lambda:timm.create_model("ese_vovnet19b_dw",num_classes=10),img),
 "timm_twins":(lambda:timm.create_model("twins_svt_small",img_size=64,num_classes=10),img),
 "timm_nest":(lambda:timm.create_model("nest_tiny",img_size=64,num_classes=10),img),
 "gpt2":(T(tr.GPT2LMHeadModel,lambda:tr.GPT2Config(vocab_size=99,n_embd=32,n_layer=2,n_head=4,n_positions=64)),ids),
 "mixtral":(T(tr.MixtralForCausalLM,lambda:tr.MixtralConfig(**small,num_key_value_heads=2,num_local_experts=4)),seg),
 "gpt_oss":(T(tr.GptOssForCausalLM,lambda:tr.GptOssConfig(**small,num_key_value_heads=2,head_dim=8,num_local_experts=4,num_experts_per_tok=2,sliding_window=8),attn_implementation="eager"),seg),
 "bert":(T(tr.BertModel,lambda:tr.BertConfig(**small)),seg),
 "distilbert":(Tn(tr.DistilBertModel,lambda:tr.DistilBertConfig(vocab_size=99,dim=32,n_layers=2,n_heads=4,hidden_dim=64,max_position_embeddings=64)),seg),
 "roberta":(T(tr.RobertaModel,lambda:tr.RobertaConfig(**small)),seg),
 "albert":(Tn(tr.AlbertModel,lambda:tr.AlbertConfig(**small,embedding_size=16)),seg),
 "electra":(Tn(tr.ElectraModel,lambda:tr.ElectraConfig(**small,embedding_size=16)),seg),
 "deberta":(Tn(tr.DebertaV2Model,lambda:tr.DebertaV2Config(**small,relative_attention=True,pos_att_type=["p2c","c2p"],position_buckets=16)),seg),
 "llama":(T(tr.LlamaForCausalLM,lambda:tr.LlamaConfig(**small,num_key_value_heads=2)),seg),
 "qwen2":(T(tr.Qwen2ForCausalLM,lambda:tr.Qwen2Config(**small,num_key_value_heads=2)),seg),
 "qwen3":(T(tr.Qwen3ForCausalLM,lambda:tr.Qwen3Config(**small,num_key_value_heads=2,head_dim=8)),seg),
 "gemma2":(T(tr.Gemma2ForCausalLM,lambda:tr.Gemma2Config(**small,num_key_value_heads=2,head_dim=8),attn_implementation="eager"),seg),
 "phi3":(T(tr.Phi3ForCausalLM,lambda:tr.Phi3Config(**small,num_key_value_heads=2,pad_token_id=0)),seg),
 "mistral":(T(tr.MistralForCausalLM,lambda:tr.MistralConfig(**small,num_key_value_heads=2,sliding_window=8)),seg),
 "opt":(T(tr.OPTForCausalLM,lambda:tr.OPTConfig(vocab_size=99,hidden_size=32,num_hidden_layers=2,ffn_dim=64,num_attention_heads=4,max_position_embeddings=64,word_embed_proj_dim=32)),seg),
 "t5enc":(Tn(tr.T5EncoderModel,lambda:tr.T5Config(vocab_size=99,d_model=32,d_kv=8,d_ff=64,num_layers=2,num_heads=4)),seg),
 "clip_vision":(Tn(tr.CLIPVisionModel,lambda:tr.CLIPVisionConfig(hidden_size=32,intermediate_size=64,num_hidden_layers=2,num_attention_heads=4,image_size=64,patch_size=16)),img),
 "vit_hf":(Tn(tr.ViTModel,lambda:tr.ViTConfig(hidden_size=32,intermediate_size=64,num_hidden_layers=2,num_attention_heads=4,image_size=64,patch_size=16)),img),
 "dinov2":(Tn(tr.Dinov2Model,lambda:tr.Dinov2Config(hidden_size=32,num_hidden_layers=2,num_attention_heads=4,image_size=64,patch_size=16)),img),
 "segformer":(Tn(tr.SegformerForSemanticSegmentation,lambda:tr.SegformerConfig(num_encoder_blocks=2,depths=[1,1],sr_ratios=[2,1],hidden_sizes=[16,32],patch_sizes=[7,3],strides=[4,2],num_attention_heads=[1,2],mlp_ratios=[2,2],decoder_hidden_size=32)),img),
 "whisper_enc":(lambda:Logits(tr.WhisperModel(tr.WhisperConfig(vocab_size=99,d_model=32,encoder_layers=2,decoder_layers=1,encoder_attention_heads=4,decoder_attention_heads=4,encoder_ffn_dim=64,decoder_ffn_dim=64,num_mel_bins=8,max_source_positions=32,pad_token_id=0,bos_token_id=1,eos_token_id=2,decoder_start_token_id=1)).get_encoder()),lambda n:(torch.randn(n,8,64),)),
 "wav2vec2":(Tn(tr.Wav2Vec2Model,lambda:tr.Wav2Vec2Config(hidden_size=32,num_hidden_layers=2,num_attention_heads=4,intermediate_size=64,conv_dim=(16,16),conv_kernel=(8,4),conv_stride=(4,2),num_conv_pos_embeddings=8,num_conv_pos_embedding_groups=2)),lambda n:(torch.randn(n,800),)),
 "detr_less_unet":(lambda:__import__("diffusers").UNet2DModel(sample_size=16,block_out_channels=(16,32),norm_num_groups=8,down_block_types=("DownBlock2D","AttnDownBlock2D"),up_block_types=("AttnUpBlock2D","UpBlock2D"),layers_per_block=1),lambda n:(torch.randn(n,3,16,16),torch.full((n,),10.))),
}
def make(name):
    f,inp=M[name]
    m=f().eval()
    for b in m.modules():
        if isinstance(b,torch.nn.BatchNorm2d): b.running_mean.normal_(0,.1); b.running_var.uniform_(.5,1.5)
    if name=="detr_less_unet": m=Logits(m)
    return m,inp


def export(name, path, is_core):
    module, inputs = make(name)
    args = inputs(3)
    varies = tuple({0: torch.export.Dim.AUTO} for _ in args)
    with torch.no_grad():
        program = torch.export.export(module, args, dynamic_shapes=(varies,) if isinstance(module, Logits) else varies)
    program = program.run_decompositions() if is_core else program
    torch.export.save(program, path)
    return program.module(), inputs


def compare(module, inputs, batch, folder):
    torch.manual_seed(batch)
    args = inputs(batch)
    with torch.no_grad():
        wanted = [v for v in torch.utils._pytree.tree_leaves(module(*args)) if isinstance(v, torch.Tensor)]
    command = [f"{BIN}/strata-run", f"{folder}/libnet.so", "--rtol=1e-5",
               f"--atol={1e-5 * max(float(v.abs().max()) for v in wanted):g}"]
    for option, values in (("input", args), ("expect", wanted)):
        for i, value in enumerate(values):
            np.save(f"{folder}/{option}{i}.npy", value.numpy())
            command.append(f"--{option}={folder}/{option}{i}.npy")
    done = subprocess.run(command, capture_output=True, text=True)
    return "" if done.returncode == 0 else f"batch {batch}: {(done.stderr or done.stdout)[-300:]}"


def run(name, is_core):
    with tempfile.TemporaryDirectory() as folder:
        try:
            module, inputs = export(name, f"{folder}/{name}.pt2", is_core)
        except Exception as error:  # PyTorch's, which has no class for what it cannot export
            return f"not exported: {str(error)[:200]}"
        start = time.time()
        done = subprocess.run([f"{BIN}/strata", f"{folder}/{name}.pt2", "--aot", "--aot-name=net", "-o", folder],
                              capture_output=True, text=True)
        if done.returncode:
            return done.stderr[-1000:]
        seconds = time.time() - start
        return " ".join(filter(None, (compare(module, inputs, batch, folder) for batch in (1, 2, 5)))) or \
            f"ok, compiled in {seconds:.1f} s"


def main():
    for name in sys.argv[1:] or M:
        for is_core in (False, True):
            print(name, "core" if is_core else "plain", run(name, is_core), flush=True)


if __name__ == "__main__":
    main()
